# steelyard_embed(NAME FILE): puts the bytes of FILE into the program, between the symbols
# steelyard_NAME_begin and steelyard_NAME_end (see src/base/embedded.h).
function(steelyard_embed name file)
  set(asm ${CMAKE_BINARY_DIR}/embed/${name}.S)
  file(CONFIGURE OUTPUT ${asm} @ONLY CONTENT [[
  .section .rodata
  .global steelyard_@name@_begin
  .global steelyard_@name@_end
  .balign 16
steelyard_@name@_begin:
  .incbin "@file@"
steelyard_@name@_end:
  .byte 0
  .section .note.GNU-stack,"",%progbits
]])
  set_source_files_properties(${asm} TARGET_DIRECTORY steelyard_core
    PROPERTIES OBJECT_DEPENDS ${file})
  target_sources(steelyard_core PRIVATE ${asm})
endfunction()

# Sourced by ./run and ./test: installs what is missing on Debian and Ubuntu, touches nothing else.

say() { printf '%s\n' "$*" >&2; }

# need_packages NAME...: installs those that are absent. Exit 2 with the command when it cannot.
need_packages() {
  command -v dpkg-query >/dev/null 2>&1 || return 0  # another distribution: let CMake judge
  local missing=() name
  for name in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
      sudo=(sudo -n)
    else
      say "steelyard: these packages are missing and installing them needs root:"
      say "  sudo apt-get install ${missing[*]}"
      exit 2
    fi
  fi
  say "steelyard: installing ${missing[*]}"
  local apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600)
  local log
  log=$(mktemp)
  if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    say "steelyard: apt-get could not install ${missing[*]}; its last lines:"
    tail -n 8 "$log" >&2
    rm -f "$log"
    exit 2
  fi
  rm -f "$log"
}

program_packages=(g++ cmake ninja-build libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev
  libssl-dev)
# The distribution's own Boost, unless headers of another one are there: asking for it would remove them.
[ -e /usr/include/boost/beast/version.hpp ] || program_packages+=(libboost-dev)
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev clang-19 clang-format-19
  libclang-rt-19-dev ccache python3 python3-jsonschema hyperfine)

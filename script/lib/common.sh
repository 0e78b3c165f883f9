# Sourced by the scripts: goes to the root of the repository, sets up the compiler cache, and gives
# build_preset.
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Precompiled headers are cacheable only with this sloppiness. The other two let checkouts in different folders
# share one cache; the price is that debug information may name the folder of another checkout.
export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime}"
# Comments count: a precompiled header from before one was changed would be taken for another file.
export CCACHE_COMMENTS="${CCACHE_COMMENTS:-1}"
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$PWD}"
export CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"

# build_preset PRESET [ARGUMENT...]: makes build/PRESET unless it is there, and builds it; further
# arguments go to `cmake --build`. CMake does not notice a changed preset itself, so its file is compared
# with the cache.
build_preset() {
  local tree="build/$1"
  if [[ ! -f "$tree/build.ninja" || CMakePresets.json -nt "$tree/CMakeCache.txt" ]]; then
    cmake --preset "$1" && touch "$tree/CMakeCache.txt" || return
  fi
  cmake --build "$tree" --parallel "$(nproc)" "${@:2}"
}

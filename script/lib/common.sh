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
# arguments go to `cmake --build`. CMake does not notice a changed preset itself, nor that DuckDB's header has come, so
# both are compared with the cache.
build_preset() {
  local tree="build/$1"
  if [[ ! -f "$tree/build.ninja" || CMakePresets.json -nt "$tree/CMakeCache.txt" ||
    tools/duckdb/node_modules -nt "$tree/CMakeCache.txt" ]]; then
    cmake --preset "$1" && touch "$tree/CMakeCache.txt" || return
  fi
  remove_old_pch "$tree"
  cmake --build "$tree" --parallel "$(nproc)" "${@:2}"
}

# remove_old_pch TREE: the preprocessor takes a precompiled header that lies there without looking whether it is out of
# date, and so the compiler cache, asked for the new one, finds the old. Those of our own headers go when one has changed.
remove_old_pch() {
  local header
  while read -r header; do
    if [[ -f "$header.gch" && -n "$(find src include tests proto -newer "$header.gch" -type f -print -quit)" ]]; then
      rm "$header.gch"
    fi
  done < <(grep -rl --include=cmake_pch.hxx '<tests/' "$1" 2>/dev/null)
}

# COMPILER SOURCE: rustc, which links by mold where that is. One unit of code generation: no parallel work, and the same
# program on every machine.
set -eu
if [ -x /usr/bin/ld.mold ]; then linker=-Clink-arg=-fuse-ld=mold; else linker=; fi
exec "$1" --edition=2021 -O -Ccodegen-units=1 -Cstrip=symbols $linker --cfg=online_judge --crate-name=solution -osolution "$2"

# JAVAC: the driver of javac (Compile.java), compiled.
set -eu
mkdir classes
"$1" -d classes ../in/Compile.java
tar -cf library.tar -C classes .

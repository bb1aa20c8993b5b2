# JAVAC JAVA: the driver of javac (Compile.java), compiled; and javac's classes as the virtual machine keeps them in memory
# (class-data sharing), for which it must have compiled something. Before Java 13 there is no such archive: javac loads
# them one by one.
set -eu
mkdir library
"$1" -d library ../in/Compile.java
"$2" -Xmx1g -Xss16m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+IgnoreUnrecognizedVMOptions -Xlog:disable \
  -XX:ArchiveClassesAtExit=library/javac.jsa -m jdk.compiler/com.sun.tools.javac.Main -proc:none -d . ../in/Usual.java
tar -cf library.tar -C library .

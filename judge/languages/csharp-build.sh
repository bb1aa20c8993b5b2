# MONO SOURCE...: compiled by mcs, with .NET's implicit usings before the first, and its `Debug`.
set -eu
mono=$1 source=$2
shift 2
{
  echo 'using System; using System.Collections.Generic; using System.IO; using System.Linq; using System.Threading; using System.Threading.Tasks;'
  echo '#line 1 "solution.cs"'
  sed '1s/^\xEF\xBB\xBF//' "$source"
} >program.cs
exec "$mono" /usr/lib/mono/4.5/mcs.exe -nologo -optimize+ -define:ONLINE_JUDGE,DEBUG,TRACE -warn:0 -r:System.Core \
  -r:System.Numerics -out:solution.exe program.cs ../in/Debug.cs "$@"

<?php
[$what, $n] = explode(' ', trim(fgets(STDIN)));
function depth($n) { return $n ? 1 + depth($n - 1) : 0; }
if ($what == 'memory') { $parts = []; for ($i = 0; $i < $n; $i++) $parts[] = str_repeat(chr($i % 256), (1 << 20) - 100); $n = count($parts); }
elseif ($what == 'depth') $n = depth((int) $n);
else throw new Exception('fail');
echo "done $n\n";

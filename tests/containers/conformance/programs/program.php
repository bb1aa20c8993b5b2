<?php
// What the tests ask of most languages: MODE N, and for `sort` N numbers.
[$mode, $n] = explode(' ', trim(fgets(STDIN)));

function deep($n) { return $n == 0 ? 0 : 1 + deep($n - 1); }

switch ($mode) {
    case 'sort':
        $numbers = array_map('intval', explode(' ', trim(fgets(STDIN))));
        sort($numbers);
        echo implode("\n", $numbers), "\n";
        break;
    case 'deep':
        echo deep((int) $n), "\n";
        break;
    case 'hoard':
        $all = [];
        while (true) $all[] = str_repeat('x', 1000000);
    case 'spin':
        while (true);
    case 'throw':
        throw new Exception('thrown');
    case 'exit':
        exit((int) $n);
}

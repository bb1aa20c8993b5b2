<?php
error_reporting(0);
$c = [];
foreach (file('php://stdin') as $line) { [$key, $value] = explode(' ', trim($line), 2); $c[$key] = $value; }
function attempt($what, $call) {
    try { $got = $call(); } catch (Throwable $e) { $got = false; }
    echo $got === false || $got === null ? "HELD $what\n" : "ESCAPED $what $got\n";
}
attempt('file', fn() => file_get_contents($c['file']));
attempt('answer', fn() => file_get_contents($c['answer']));
attempt('environment', fn() => getenv($c['env']));
attempt('write', fn() => file_put_contents("$c[world]/$c[mark]", 'x'));
attempt('process', fn() => shell_exec('echo x'));
attempt('popen', fn() => ($p = popen('echo x', 'r')) && ($x = fgets($p)) ? $x : false);
attempt('connect', fn() => fsockopen('127.0.0.1', (int) $c['tcp'], $n, $s, 2) ? 1 : false);

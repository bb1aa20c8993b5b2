use strict;
use warnings;
use bigint;

my ($a, $b, $c) = split ' ', <STDIN>;
my ($r, $s, $x, $u, $y, $v) = ($a + 0, $b + 0, 1, 0, 0, 1);
while ($s != 0) {
    my $q = $r / $s;
    ($r, $s) = ($s, $r - $q * $s);
    ($x, $u) = ($u, $x - $q * $u);
    ($y, $v) = ($v, $y - $q * $v);
}
if ($c % $r != 0) {
    print "NO\n";
} else {
    my $times = ($c - $c % $r) / $r;
    print $x * $times, " ", $y * $times, "\n";
}

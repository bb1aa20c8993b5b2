# What the tests ask of most languages: MODE N, and for `sort` N numbers.
use strict;
use warnings;
no warnings 'recursion';

my ($mode, $n) = split ' ', <STDIN>;

sub deep { my ($left) = @_; return $left == 0 ? 0 : 1 + deep($left - 1); }

if ($mode eq 'sort') {
    print join("\n", sort { $a <=> $b } split ' ', <STDIN>), "\n";
} elsif ($mode eq 'deep') {
    print deep($n), "\n";
} elsif ($mode eq 'hoard') {
    my @all;
    push @all, 'x' x 1_000_000 while 1;
} elsif ($mode eq 'spin') {
    1 while 1;
} elsif ($mode eq 'throw') {
    die 'thrown';
} elsif ($mode eq 'exit') {
    exit $n;
}

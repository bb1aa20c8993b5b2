use strict; no warnings 'recursion';
my ($what, $n) = split ' ', <STDIN>;
sub depth { my $n = shift; return $n ? 1 + depth($n - 1) : 0 }
my @parts;
if ($what eq "memory") { push @parts, $_ x (1 << 20) for map { chr(97 + $_ % 26) } 1 .. $n; $n = @parts }
elsif ($what eq "depth") { $n = depth($n) }
else { die "fail" }
print "done $n\n";

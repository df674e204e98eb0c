#!/usr/bin/env bash
# Each C++ block of the README stands, word for word, in a demo that is
# compiled and run; its first program has at most 25 lines of code; each file
# it links to exists.
#   readme.sh SOURCE_DIRECTORY
set -euo pipefail
cd "$1"
perl - <<'PERL'
use strict;
sub slurp { open my $in, '<', $_[0] or die "$_[0]: $!\n"; local $/; <$in> }
my $readme = slurp('README.md');
my @demos = map { slurp($_) } glob 'apps/demos/*.cpp';
my @bad;
my @blocks = $readme =~ /^```cpp\n(.*?)^```$/msg;
push @bad, 'no C++ block at all' unless @blocks;
for my $block (@blocks) {
  my ($first) = split /\n/, $block;
  push @bad, "no demo has the block that begins: $first"
    unless grep { index($_, $block) >= 0 } @demos;
}
my $code = grep { /\S/ } split /\n/, $blocks[0] // '';
push @bad, "the first program has $code lines of code" if $code > 25;
for my $link ($readme =~ /\]\(([^)#:]+)\)/g) {
  push @bad, "a link leads nowhere: $link" unless -e $link;
}
print "README.md: $_\n" for @bad;
exit(@bad ? 1 : 0);
PERL

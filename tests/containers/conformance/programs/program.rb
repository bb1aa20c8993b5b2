# What the tests ask of most languages: MODE N, and for `sort` N numbers.
mode, n = STDIN.gets.split
n = n.to_i

def deep(n) = n.zero? ? 0 : 1 + deep(n - 1)

case mode
when "sort" then puts STDIN.gets.split.map(&:to_i).sort
when "deep" then puts deep(n)
when "hoard"
  all = []
  loop { all << ("x" * 1_000_000) }
when "spin" then loop {}
when "throw" then raise "thrown"
when "exit" then exit n
end

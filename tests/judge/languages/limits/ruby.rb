what, n = gets.split
n = n.to_i
def depth(n) = n == 0 ? 0 : 1 + depth(n - 1)
n = case what
    when "memory" then (1..n).map { "x" * (1 << 20) }.size
    when "depth" then depth(n)
    else raise "fail"
    end
puts "done #{n}"

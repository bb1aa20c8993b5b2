require "set"
numbers = STDIN.read.split.map(&:to_i)
raise "no set" unless Set.new(numbers).size == 2
puts numbers.sum

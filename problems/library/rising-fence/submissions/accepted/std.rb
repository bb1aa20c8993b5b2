heights = File.read("fence.in").split.map(&:to_i).drop(1)
most = added = 0
heights.each do |h|
  most = h if h > most
  added += most - h
end
File.write("fence.out", "#{added}\n")

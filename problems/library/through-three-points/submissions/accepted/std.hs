main :: IO ()
main = do
  text <- getContents
  let [ax, ay, bx', by', cx', cy'] = map read (words text) :: [Double]
      (bx, by, cx, cy) = (bx' - ax, by' - ay, cx' - ax, cy' - ay)
      area = 2 * (bx * cy - by * cx)
      b = bx * bx + by * by
      c = cx * cx + cy * cy
      x = (cy * b - by * c) / area
      y = (bx * c - cx * b) / area
  putStrLn (unwords (map show [ax + x, ay + y, sqrt (x * x + y * y)]))

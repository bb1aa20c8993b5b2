import qualified Data.ByteString as B
import System.IO
depth :: Int -> Int
depth 0 = 0
depth n = 1 + depth (n - 1)
main :: IO ()
main = do
  [what, n] <- words <$> getLine
  let size = read n
  case what of
    "memory" -> do
      parts <- mapM (\i -> let part = B.replicate 1048576 (fromIntegral i) in part `seq` return part) [1 .. size]
      putStrLn ("done " ++ show (length (filter ((> 0) . B.length) parts)))
      hPrint stderr (sum (map (fromIntegral . B.head) parts :: [Int]) < 0)
    "depth" -> putStrLn ("done " ++ show (depth size))
    _ -> error "fail"

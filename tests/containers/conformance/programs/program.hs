-- What the tests ask of most languages: MODE N, and for `sort` N numbers.
import qualified Data.ByteString.Char8 as B
import Data.IORef
import Data.List (sort, unfoldr)
import System.Exit

deep :: Int -> Int
deep 0 = 0
deep n = 1 + deep (n - 1)
{-# NOINLINE deep #-}

main :: IO ()
main = do
  text <- B.getContents
  let (first, rest) = B.break (== '\n') text
      [mode, word] = words (B.unpack first)
      n = read word :: Int
  case mode of
    "sort" -> putStr (unlines (map show (sort (unfoldr (B.readInt . B.dropWhile (`elem` " \n")) rest))))
    "deep" -> print (deep n)
    "hoard" -> do
      kept <- newIORef []
      let more i = modifyIORef' kept (B.replicate 1000000 'x' :) >> (readIORef kept >>= \all' -> more (i + length (take 1 all')))
      more (0 :: Int)
    "spin" -> let turn :: Integer -> IO (); turn i = if i < 0 then print i else turn (i + 1) in turn 1
    "throw" -> error "thrown"
    "exit" -> exitWith (ExitFailure n)
    _ -> return ()

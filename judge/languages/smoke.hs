import qualified Data.ByteString.Char8 as B
import qualified Data.Map.Strict as M
import Data.Maybe (mapMaybe)

main :: IO ()
main = do
  text <- B.getContents
  let numbers = map fst (mapMaybe B.readInt (B.words text))
  print (sum (M.elems (M.fromList (zip [0 :: Int ..] numbers))))

import Control.Exception (SomeException, evaluate, try)
import qualified Data.Map as M
import Foreign.C.Types (CInt (..), CLong (..), CUInt (..))
import Foreign.Marshal.Array (withArrayLen)
import Foreign.Ptr (Ptr, nullPtr)
import Data.Word (Word8)
import System.Environment (lookupEnv)
import System.IO
import System.Posix.Process (exitImmediately, forkProcess)
import System.Exit (ExitCode (..))
import System.Process (readProcess, system)

foreign import ccall "kill" c_kill :: CInt -> CInt -> IO CInt
foreign import ccall "ptrace" c_ptrace :: CLong -> CLong -> Ptr () -> Ptr () -> IO CLong
foreign import ccall "socket" c_socket :: CInt -> CInt -> CInt -> IO CInt
foreign import ccall "connect" c_connect :: CInt -> Ptr Word8 -> CUInt -> IO CInt

attempt :: String -> IO (Maybe String) -> IO ()
attempt what call = do
  got <- try (call >>= evaluate) :: IO (Either SomeException (Maybe String))
  putStrLn (either (const ("HELD " ++ what)) (maybe ("HELD " ++ what) (("ESCAPED " ++ what ++ " ") ++)) got)
  hFlush stdout

slurp :: String -> IO (Maybe String)
slurp path = do
  file <- openFile path ReadMode
  Just <$> hGetLine file

zero :: Integral n => n -> Maybe String
zero n = if n == 0 then Just "reached" else Nothing

main :: IO ()
main = do
  text <- getContents
  let c = M.fromList [(key, drop 1 value) | line <- lines text, let (key, value) = break (== ' ') line]
      given key = c M.! key
      pid = read (given "pid") :: Int
      port = read (given "tcp") :: Int
      address = [2, 0, fromIntegral (port `div` 256), fromIntegral port, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
  attempt "file" (slurp (given "file"))
  attempt "answer" (slurp (given "answer"))
  attempt "environment" (lookupEnv (given "env"))
  attempt "write" (writeFile (given "world" ++ "/" ++ given "mark") "x" >> return (Just "written"))
  attempt "process" (Just <$> readProcess "/bin/echo" ["x"] "")
  attempt "shell" (zero . (\code -> if code == ExitSuccess then 0 else 1 :: Int) <$> system "true")
  attempt "fork" (Just . show <$> forkProcess (exitImmediately ExitSuccess))
  attempt "connect" (do
    fd <- c_socket 2 1 0
    zero <$> withArrayLen address (\size at -> c_connect fd at (fromIntegral size)))
  attempt "signal" (zero <$> c_kill (fromIntegral pid) 0)
  attempt "trace" (zero <$> c_ptrace 16 (fromIntegral pid) nullPtr nullPtr)
  attempt "others" (slurp ("/proc/" ++ show pid ++ "/status"))

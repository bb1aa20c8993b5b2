const fs = require("fs"), net = require("net"), child = require("child_process");
const c = Object.fromEntries(fs.readFileSync(0, "utf8").trim().split("\n").map((line) => line.split(/ (.*)/s).slice(0, 2)));
const attempt = (what, call) => {
  try {
    console.log("ESCAPED", what, String(call()));
  } catch (error) {
    console.log("HELD", what, error.code || error.message);
  }
};
attempt("file", () => fs.readFileSync(c.file, "utf8"));
attempt("answer", () => fs.readFileSync(c.answer, "utf8"));
attempt("environment", () => { if (!process.env[c.env]) throw new Error("none"); return process.env[c.env]; });
attempt("write", () => fs.writeFileSync(`${c.world}/${c.mark}`, "x"));
attempt("process", () => child.execFileSync("/bin/echo", ["x"]));
attempt("shell", () => child.execSync("echo x"));
attempt("signal", () => process.kill(Number(c.pid), 0));
try {
  const socket = net.connect(Number(c.tcp), "127.0.0.1");
  socket.on("connect", () => { console.log("ESCAPED connect"); socket.destroy(); });
  socket.on("error", (error) => console.log("HELD connect", error.code));
} catch (error) {
  console.log("HELD connect", error.code);
}

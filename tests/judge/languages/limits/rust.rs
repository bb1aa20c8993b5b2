use std::io;
fn depth(n: u64) -> u64 { let m = unsafe { std::ptr::read_volatile(&n) }; if m == 0 { 0 } else { 1 + depth(m - 1) } }
fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut n: u64 = words[1].parse().unwrap();
    match words[0] {
        "memory" => { let parts: Vec<Vec<u8>> = (0..n).map(|_| vec![1u8; 1 << 20]).collect(); n = parts.len() as u64; }
        "depth" => n = depth(n),
        _ => panic!("fail"),
    }
    println!("done {}", n);
}

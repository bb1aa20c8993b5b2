// Shows: Rust: threads, channels, a recursion in a thread of its own
use std::io::{self, Read};
use std::sync::mpsc;
use std::thread;

fn down(value: i64, depth: u32) -> i64 {
    if depth == 0 { value } else { down(value, depth - 1) }
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<i64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let (sender, receiver) = mpsc::channel();
    for number in numbers {
        let sender = sender.clone();
        thread::spawn(move || sender.send(number).unwrap());
    }
    drop(sender);
    let sum: i64 = receiver.iter().sum();
    let deep = thread::Builder::new().stack_size(64 << 20).spawn(move || down(sum, 100000)).unwrap();
    println!("{}", deep.join().unwrap());
}

//! What the tests ask of every language: MODE N, and for `sort` N numbers.
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, process, thread};

/// std::hint::black_box, which Rust has since 1.66.
#[inline(never)]
fn black_box<T>(value: T) -> T {
    unsafe { std::ptr::read_volatile(&std::mem::ManuallyDrop::new(value) as *const _ as *const T) }
}

#[inline(never)]
fn deep(n: u64) -> u64 {
    if n == 0 { 0 } else { 1 + black_box(deep(black_box(n - 1))) }
}

static SUM: AtomicU64 = AtomicU64::new(0);

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_ascii_whitespace();
    let mode = words.next().unwrap();
    let n: usize = words.next().unwrap().parse().unwrap();
    match mode {
        "sort" => {
            let mut numbers: Vec<i64> = words.map(|word| word.parse().unwrap()).collect();
            numbers.sort_unstable();
            let mut out = io::BufWriter::new(io::stdout().lock());
            for number in numbers {
                writeln!(out, "{}", number).unwrap();
            }
        }
        "deep" => println!("{}", deep(n as u64)),
        "large" => {
            let numbers = vec![1u32; n / 4];
            println!("{}", black_box(&numbers)[n / 8]);
        }
        "garbage" => {
            println!("{}", (0..n).map(|_| black_box(vec![0u32; 1024]).len()).sum::<usize>());
        }
        "hoard" => {
            let mut all = Vec::new();
            loop {
                all.push(black_box(vec![1u32; 1 << 16]));
            }
        }
        "refused" => {
            println!("{}", Vec::<u64>::with_capacity(n << 40).capacity());
        }
        "threads" => {
            let threads: Vec<_> =
                (1..=n as u64).map(|mine| thread::spawn(move || SUM.fetch_add(mine, Ordering::SeqCst))).collect();
            for one in threads {
                one.join().unwrap();
            }
            println!("{}", SUM.load(Ordering::SeqCst));
        }
        "file" => {
            fs::write("file", n.to_string()).unwrap();
            println!("{}", fs::read_to_string("file").unwrap());
        }
        "spin" => {
            let mut i = 1u64;
            while black_box(i) != 0 {
                i += 1;
            }
        }
        "throw" => panic!("thrown in {:?}", env::args().count()),
        "exit" => process::exit(n as i32),
        _ => {}
    }
}

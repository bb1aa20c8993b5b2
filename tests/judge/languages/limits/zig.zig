const std = @import("std");
extern "c" fn scanf(format: [*:0]const u8, ...) c_int;
extern "c" fn printf(format: [*:0]const u8, ...) c_int;

fn depth(n: c_longlong) c_longlong {
    var left = n;
    const seen: *volatile c_longlong = &left;
    if (seen.* == 0) return 0;
    seen.* = depth(seen.* - 1);
    return seen.* + 1;
}

pub fn main() !void {
    var what: [16]u8 = undefined;
    var n: c_longlong = 0;
    if (scanf("%15s %lld", &what, &n) != 2) return error.NoInput;
    switch (what[0]) {
        'm' => {
            var left = n;
            while (left > 0) : (left -= 1) {
                const part = try std.heap.c_allocator.alloc(u8, 1 << 20);
                @memset(@as([]volatile u8, part), 1);
            }
        },
        'd' => n = depth(n),
        else => return error.Failed,
    }
    _ = printf("done %lld\n", n);
}

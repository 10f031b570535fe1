//! Zigzag varints, written.

pub(crate) fn write_i32(into: &mut Vec<u8>, value: i32) {
    write_i64(into, i64::from(value));
}

pub(crate) fn write_i64(into: &mut Vec<u8>, value: i64) {
    let mut rest = zigzag(value);
    while rest >= 0x80 {
        into.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    into.push(rest as u8);
}

pub(crate) const fn i32_len(value: i32) -> usize {
    i64_len(value as i64)
}

pub(crate) const fn i64_len(value: i64) -> usize {
    let bits = u64::BITS - (zigzag(value) | 1).leading_zeros();
    bits.div_ceil(7) as usize
}

const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

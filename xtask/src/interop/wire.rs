//! The few pieces of the wire format that the suite needs itself: written by hand, so that nothing that is under test
//! takes part in judging it.

use anyhow::{Context, Result, ensure};

/// Reads one field after another.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(length).context("the bytes end too early")?;
        self.rest = rest;
        Ok(head)
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn i8(&mut self) -> Result<i8> {
        Ok(i8::from_be_bytes(self.take(1)?.try_into()?))
    }

    pub(crate) fn i16(&mut self) -> Result<i16> {
        Ok(i16::from_be_bytes(self.take(2)?.try_into()?))
    }

    pub(crate) fn i32(&mut self) -> Result<i32> {
        Ok(i32::from_be_bytes(self.take(4)?.try_into()?))
    }

    pub(crate) fn i64(&mut self) -> Result<i64> {
        Ok(i64::from_be_bytes(self.take(8)?.try_into()?))
    }

    pub(crate) fn varint(&mut self) -> Result<u32> {
        let mut value = 0_u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.take(1)?[0];
            value |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        anyhow::bail!("a varint of more than five bytes")
    }

    /// A signed varint, as records have them.
    pub(crate) fn zigzag(&mut self) -> Result<i64> {
        let mut value = 0_u64;
        for shift in (0..70).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or_default();
            if byte & 0x80 == 0 {
                return Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed());
            }
        }
        anyhow::bail!("a varint of more than ten bytes")
    }

    /// A string or array of bytes; null is nothing.
    pub(crate) fn bytes(&mut self, flexible: bool) -> Result<Option<&'a [u8]>> {
        let length = if flexible { i64::from(self.varint()?) - 1 } else { i64::from(self.i16()?) };
        if length < 0 { Ok(None) } else { self.take(usize::try_from(length)?).map(Some) }
    }

    /// The length of an array; a null one has none.
    pub(crate) fn count(&mut self, flexible: bool) -> Result<usize> {
        let count = if flexible { i64::from(self.varint()?) - 1 } else { i64::from(self.i32()?) };
        let count = usize::try_from(count.max(0))?;
        ensure!(count <= self.rest.len(), "an array longer than its frame");
        Ok(count)
    }

    /// Skips tagged fields.
    pub(crate) fn tags(&mut self, flexible: bool) -> Result<()> {
        if flexible {
            for _ in 0..self.varint()? {
                self.varint()?;
                let length = self.varint()?;
                self.take(usize::try_from(length)?)?;
            }
        }
        Ok(())
    }
}

/// Writes an unsigned varint.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(u8::try_from(value & 0x7f).unwrap_or_default() | 0x80);
        value >>= 7;
    }
    out.push(u8::try_from(value).unwrap_or_default());
}

/// Writes a signed varint.
pub(crate) fn put_zigzag(out: &mut Vec<u8>, value: i64) {
    let mut value = ((value << 1) ^ (value >> 63)).cast_unsigned();
    while value >= 0x80 {
        out.push(u8::try_from(value & 0x7f).unwrap_or_default() | 0x80);
        value >>= 7;
    }
    out.push(u8::try_from(value).unwrap_or_default());
}

/// Writes the length of an array.
pub(crate) fn put_count(out: &mut Vec<u8>, count: usize, flexible: bool) -> Result<()> {
    if flexible {
        put_varint(out, u32::try_from(count)? + 1);
    } else {
        out.extend(i32::try_from(count)?.to_be_bytes());
    }
    Ok(())
}

/// Writes a string that is not null.
pub(crate) fn put_string(out: &mut Vec<u8>, text: &[u8], flexible: bool) -> Result<()> {
    if flexible {
        put_varint(out, u32::try_from(text.len())? + 1);
    } else {
        out.extend(i16::try_from(text.len())?.to_be_bytes());
    }
    out.extend(text);
    Ok(())
}

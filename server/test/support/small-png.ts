/**
 * Makes pictures of pages smaller. Such pictures have few colours: with a palette of 256 a file is a third as
 * large and looks the same.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

/**
 * Returns the picture with a palette.
 * @param png a file as Chromium writes it: 8 bits a channel, three or four channels, not interlaced (PNG,
 * section 11.2.2)
 */
export function smallPng(png: Buffer): Buffer {
  const { width, height, channels, pixels } = decode(png)
  const colours = new Uint32Array(width * height)
  for (let pixel = 0; pixel < colours.length; pixel += 1)
    colours[pixel] = pixels.readUIntBE(pixel * channels, 3)
  const palette = commonest(colours)
  const indices = new Map(palette.map((colour, index) => [colour, index]))
  const rows = Buffer.alloc((width + 1) * height)
  for (const [pixel, colour] of colours.entries()) {
    const index = indices.get(colour) ?? nearest(palette, colour)
    indices.set(colour, index)
    rows[Math.floor(pixel / width) * (width + 1) + 1 + (pixel % width)] = index
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const table = Buffer.alloc(palette.length * 3)
  for (const [index, colour] of palette.entries()) table.writeUIntBE(colour, index * 3, 3)
  const parts = [
    chunk('IHDR', header),
    chunk('PLTE', table),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([signature, ...parts])
}

function decode(png: Buffer) {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const channels = png[25] === 6 ? 4 : 3
  const packed: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      packed.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  return {
    width,
    height,
    channels,
    pixels: unfiltered(inflateSync(Buffer.concat(packed)), width * channels, channels),
  }
}

/** Reverses the filters of the rows (PNG, section 9.2). */
function unfiltered(rows: Buffer, stride: number, channels: number): Buffer {
  const height = rows.length / (stride + 1)
  const pixels = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * (stride + 1)] ?? 0
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x
      const left = x < channels ? 0 : (pixels[at - channels] ?? 0)
      const up = y === 0 ? 0 : (pixels[at - stride] ?? 0)
      const corner = y === 0 || x < channels ? 0 : (pixels[at - stride - channels] ?? 0)
      const predictors = [0, left, up, (left + up) >> 1, paeth(left, up, corner)]
      pixels[at] = (rows[y * (stride + 1) + 1 + x] ?? 0) + (predictors[filter] ?? 0)
    }
  }
  return pixels
}

function paeth(left: number, up: number, corner: number): number {
  const predicted = left + up - corner
  const a = Math.abs(predicted - left)
  const b = Math.abs(predicted - up)
  const c = Math.abs(predicted - corner)
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}

function commonest(colours: Uint32Array): readonly number[] {
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const inOrder = [...counts].sort(([, a], [, b]) => b - a)
  return inOrder.slice(0, 256).map(([colour]) => colour)
}

function nearest(palette: readonly number[], colour: number): number {
  const distances = palette.map((one) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((colour >> shift) & 255)) ** 2, 0),
  )
  return distances.indexOf(Math.min(...distances))
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const length = Buffer.alloc(4)
  const sum = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

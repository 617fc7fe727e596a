/** Time-based codes (RFC 6238) with the parameters of authenticator apps: 30 seconds, SHA-1, six digits. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const stepS = 30

/**
 * Number of time steps before and after the present step whose codes are accepted too, because the clocks of
 * phones differ.
 */
const stepsAround = 1

/** Returns the time step that contains a time, given in seconds since 1970. */
export function stepAt(epochS: number): number {
  return Math.floor(epochS / stepS)
}

/** Returns the code of a time step (RFC 4226, section 5.3). */
export function codeAt(secret: Uint8Array, step: number, digits = 6): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const cut = mac.readUInt8(mac.length - 1) & 0xf
  const number = mac.readUInt32BE(cut) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/**
 * Returns the time step to which a code belongs. Only the steps near `epochS` that come after `usedStep` are
 * tried. Returns undefined if the code belongs to none of them.
 */
export function stepOf(
  secret: Uint8Array,
  typed: string,
  { epochS, usedStep }: { readonly epochS: number; readonly usedStep: number },
): number | undefined {
  if (!/^\d{6}$/.test(typed)) return undefined
  const now = stepAt(epochS)
  let found: number | undefined
  for (let step = now - stepsAround; step <= now + stepsAround; step++) {
    if (timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(typed)) && step > usedStep)
      found = step
  }
  return found
}

/**
 * Returns the text of the QR code: `otpauth://totp/<issuer>:<email>?...`, the key URI format of Google
 * Authenticator.
 */
export function otpauthUri(secret: Uint8Array, { issuer, email }: { issuer: string; email: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=${stepS}`
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * Encodes bytes in base32 (RFC 4648, section 6) without padding. Users enter secrets into apps in this form.
 */
export function base32(bytes: Uint8Array): string {
  let bits = 0
  let held = 0
  let text = ''
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31]
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31]
}

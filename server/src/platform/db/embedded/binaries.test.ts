import { expect, it } from 'vitest'
import { findPackage } from './binaries.ts'

it('names the way out on a platform without binaries', () => {
  expect(() => findPackage('win32-x64')).toThrow(/no embedded PostgreSQL for win32-x64.*set DATABASE_URL/)
})

it('says how to install binaries that were left out', () => {
  const other = process.platform === 'darwin' ? 'linux-arm64' : 'darwin-arm64'
  expect(() => findPackage(other)).toThrow(/not installed: run npm ci without --omit=optional.*DATABASE_URL/)
})

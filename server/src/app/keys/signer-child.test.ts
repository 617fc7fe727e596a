import { expect, it } from 'vitest'
import { whyFailed } from './signer-child.ts'

it.each([
  [{ stderr: 'the key file exists already\n', killed: false }, 'the key file exists already'],
  [{ stderr: '', killed: false }, '"coffer keys init" ended without an error message'],
  [{ stderr: '', killed: true }, '"coffer keys init" was stopped because it took longer than 180 s'],
  [
    { stderr: 'the disk is full', killed: true },
    '"coffer keys init" was stopped because it took longer than 180 s: the disk is full',
  ],
  [{}, '"coffer keys init" ended without an error message'],
])('tells why a command failed: %j', (error, message) => {
  expect(whyFailed(['keys', 'init', '--file', 'seed'], error)).toBe(message)
})

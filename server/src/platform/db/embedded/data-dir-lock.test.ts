import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { birthOf } from '../../../core/process-table.ts'
import { lockDataDir, takeOver } from './data-dir-lock.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coffer-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const lockFile = () => join(folder, 'coffer.lock')
const leave = (holder: object) => writeFileSync(lockFile(), JSON.stringify(holder))

describe('lockDataDir', () => {
  it('refuses a second holder, saying which process has it and what to do', () => {
    lockDataDir(folder)
    expect(() => lockDataDir(folder)).toThrow(
      new RegExp(`already running on .* \\(pid ${process.pid}\\): stop it or use another DATA_DIR`),
    )
  })

  it('can be taken again after its release, and leaves no file then', () => {
    lockDataDir(folder)()
    lockDataDir(folder)()
    expect(readdirSync(folder)).toEqual([])
  })

  it('makes the folder', () => {
    lockDataDir(join(folder, 'new', 'folder'))
    expect(readdirSync(join(folder, 'new', 'folder'))).toEqual(['coffer.lock'])
  })

  it('takes over from a process that is gone', () => {
    leave({ pid: 2 ** 22 + 1, birth: null, nonce: 'a' })
    lockDataDir(folder)
    expect(JSON.parse(readFileSync(lockFile(), 'utf8')).pid).toBe(process.pid)
    expect(readdirSync(folder)).toEqual(['coffer.lock'])
  })

  it('takes over from a process whose id another process has by now', ({ skip }) => {
    if (birthOf(process.pid) === undefined) skip('this system does not tell when a process started')
    leave({ pid: process.pid, birth: 'another boot:123', nonce: 'a' })
    lockDataDir(folder)
    expect(JSON.parse(readFileSync(lockFile(), 'utf8')).birth).toBe(birthOf(process.pid))
  })

  it('takes over although an earlier takeover was killed half way', () => {
    leave({ pid: 2 ** 22 + 1, birth: null, nonce: 'a' })
    const half = { pid: 2 ** 22 + 2, birth: null, nonce: 'b' }
    writeFileSync(join(folder, 'coffer.lock.after-a'), JSON.stringify(half))
    lockDataDir(folder)
    expect(readdirSync(folder)).toEqual(['coffer.lock'])
  })

  it('leaves a lock alone that another process is just taking over', () => {
    leave({ pid: 2 ** 22 + 1, birth: null, nonce: 'a' })
    const other = { pid: process.pid, birth: birthOf(process.pid) ?? null, nonce: 'b' }
    writeFileSync(join(folder, 'coffer.lock.after-a'), JSON.stringify(other))
    expect(() => lockDataDir(folder)).toThrow(/already running/)
  })

  it('does not replace a lock that was taken over since it was read', () => {
    const dead = { pid: 2 ** 22 + 1, birth: null, nonce: 'a' }
    lockDataDir(folder)
    const before = readFileSync(lockFile(), 'utf8')
    const draft = join(folder, 'draft')
    writeFileSync(draft, '{}')
    expect(takeOver(lockFile(), draft, dead, folder)).toBe(false)
    expect(readFileSync(lockFile(), 'utf8')).toBe(before)
  })

  it('does not release a lock that has become another process’s', () => {
    const release = lockDataDir(folder)
    leave({ pid: 1, birth: null, nonce: 'b' })
    release()
    expect(readdirSync(folder)).toEqual(['coffer.lock'])
  })

  it('refuses a lock file it cannot read, instead of guessing', () => {
    writeFileSync(lockFile(), '')
    expect(() => lockDataDir(folder)).toThrow(/cannot be read: if no Coffer uses/)
  })
})

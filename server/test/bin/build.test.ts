import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const notice = 'Building Coffer (first start only)...\n'

let copy: string

/**
 * Copies the server with one program as its source. The program prints its process id and argument, and waits
 * for a signal when told to.
 */
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'coffer-build-'))
  for (const path of ['bin', 'package.json', 'tsconfig.json', 'tsconfig.build.json'])
    cpSync(join(root, 'server', path), join(copy, 'server', path), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  mkdirSync(join(copy, 'server/src/bin'), { recursive: true })
  writeFileSync(join(copy, 'server/src/bin/facts.json'), '{ "answer": 42 }')
  writeProgram('')
})

afterEach(() => rmSync(copy, { recursive: true, force: true }))

it("builds at the first start and after a change, but not at the second start or if only a file's time is new", async () => {
  expect(await run('a')).toMatchObject({ stdout: 'a 42\n', stderr: notice, code: 0 })
  expect(await run('b')).toMatchObject({ stdout: 'b 42\n', stderr: '', code: 0 })

  utimesSync(join(copy, 'server/src/bin/coffer.ts'), new Date(), new Date(Date.now() + 60_000))
  expect(await run('c')).toMatchObject({ stdout: 'c 42\n', stderr: '', code: 0 })

  writeProgram('changed ')
  expect(await run('d')).toMatchObject({ stdout: 'changed d 42\n', stderr: notice, code: 0 })
})

it('builds once when several processes start at the same moment, and all of them run', async () => {
  const runs = await Promise.all(['a', 'b', 'c', 'd'].map(run))
  expect(runs.map(({ stdout }) => stdout)).toEqual(['a 42\n', 'b 42\n', 'c 42\n', 'd 42\n'])
  expect(runs.map(({ stderr }) => stderr).join('')).toBe(notice)
  expect(leftovers()).toEqual([])
})

it('starts after a build that was killed half way together with its compiler', async () => {
  const killed = start('a', { detached: true })
  const closed = once(killed, 'close')
  await untilBuilding()
  process.kill(-required(killed.pid, 'process id'), 'SIGKILL')
  await closed
  expect(existsSync(join(copy, 'server/dist'))).toBe(false)

  expect(await run('b')).toMatchObject({ stdout: 'b 42\n', code: 0 })
  expect(leftovers()).toEqual([])
})

it('starts after a build that was killed alone, while its compiler still writes', async () => {
  const killed = start('a', { detached: true })
  const group = -required(killed.pid, 'process id')
  const closed = once(killed, 'close')
  await untilBuilding()
  killed.kill('SIGKILL')
  await closed
  expect(await run('b')).toMatchObject({ stdout: 'b 42\n', code: 0 })
  await expect.poll(() => isAlive(group), { timeout: 20_000 }).toBe(false)
})

it('ends with the signal that it receives during a build, and the next start builds', async () => {
  const child = start('a')
  const closed = once(child, 'close')
  await untilBuilding()
  child.kill('SIGTERM')
  expect(await closed).toEqual([null, 'SIGTERM'])
  expect(await run('b')).toMatchObject({ stdout: 'b 42\n', stderr: notice, code: 0 })
  expect(leftovers()).toEqual([])
})

it('stays the process that was started, so that a signal reaches the program', async () => {
  await run('a')
  const child = start('wait')
  const { stdout } = streamsOf(child)
  expect(String((await once(stdout, 'data'))[0])).toBe(`ready ${child.pid}\n`)
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([7, null])
})

it('reports the error and leaves no build behind when the sources do not compile', async () => {
  writeFileSync(join(copy, 'server/src/broken.ts'), 'const x = {{{')
  const { stderr, code } = await run('a')
  expect(stderr).toContain('src/broken.ts(1,')
  expect(code).toBe(1)
  expect(existsSync(join(copy, 'server/dist'))).toBe(false)
})

function writeProgram(prefix: string): void {
  const text = `
    import facts from './facts.json' with { type: 'json' }
    const word: string | undefined = process.argv[2]
    if (word === 'wait') {
      process.on('SIGTERM', () => process.exit(7))
      setInterval(() => {}, 1000)
      process.stdout.write(\`ready \${process.pid}\\n\`)
    } else process.stdout.write(\`${prefix}\${word} \${facts.answer}\\n\`)
  `
  writeFileSync(join(copy, 'server/src/bin/coffer.ts'), text)
}

function start(word: string, options: { readonly detached?: boolean } = {}): ChildProcess {
  return spawn(process.execPath, [join(copy, 'server/bin/coffer.js'), word], { cwd: tmpdir(), ...options })
}

async function run(word: string): Promise<{ stdout: string; stderr: string; code: number }> {
  const child = start(word)
  const { stdout, stderr } = streamsOf(child)
  const text = { stdout: '', stderr: '' }
  stdout.on('data', (chunk) => (text.stdout += String(chunk)))
  stderr.on('data', (chunk) => (text.stderr += String(chunk)))
  const [code] = await once(child, 'close')
  return { ...text, code }
}

function streamsOf({ stdout, stderr }: ChildProcess) {
  if (stdout === null || stderr === null) throw new Error('the child has no pipes')
  return { stdout, stderr }
}

async function untilBuilding(): Promise<void> {
  await expect
    .poll(leftovers, { timeout: 20_000, interval: 5 })
    .toContainEqual(expect.stringMatching(/\.new$/))
}

/**
 * Decides whether a process runs.
 * @param target a process id, or the negated id of a process group
 */
function isAlive(target: number): boolean {
  try {
    return process.kill(target, 0)
  } catch {
    return false
  }
}

function leftovers(): string[] {
  return readdirSync(join(copy, 'server')).filter((name) => name.startsWith('dist.'))
}

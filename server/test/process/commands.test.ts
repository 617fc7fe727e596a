/** Commands beside `start`: what they refuse, and that those which only look make nothing. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCoffer, useDataDirs } from '../support/coffer-process.ts'

const dataDirs = useDataDirs()

describe('in a DATA_DIR where no Coffer was started', () => {
  it.each([['token'], ['verify'], ['backup'], ['schema']])(
    '%s says so and makes nothing there',
    async (name) => {
      const empty = await dataDirs.fresh()
      for (const dataDir of [empty, join(empty, 'missing')]) {
        const { code, stdout, stderr } = await runCoffer([name], { DATA_DIR: dataDir })
        expect([code, stdout]).toEqual([1, ''])
        expect(stderr).toBe(
          `coffer ${name}: No Coffer was ever started in ${dataDir}: start it once, or set DATA_DIR\n`,
        )
      }
      expect(await readdir(empty)).toEqual([])
    },
  )

  it('restore looks at the backup before it makes a database', async () => {
    const empty = await dataDirs.fresh()
    const { code, stderr } = await runCoffer(['restore', join(empty, 'nothing')], { DATA_DIR: empty })
    expect(code).toBe(1)
    expect(stderr).toContain('is no backup')
    expect(await readdir(empty)).toEqual([])
  })

  it('token makes no keys: those are made by the first start, which it would race', async () => {
    const dataDir = await dataDirs.fresh()
    expect((await runCoffer(['migrate'], { DATA_DIR: dataDir })).code).toBe(0)
    const { code, stderr } = await runCoffer(['token'], { DATA_DIR: dataDir })
    expect(code).toBe(1)
    expect(stderr).toContain('start Coffer once')
    expect(await readdir(dataDir)).not.toContain('secrets.json')
  })
})

describe('words that a command does not know', () => {
  it.each([
    [['start', 'now']],
    [['demo', '--fast']],
    [['token', 'a@b.test', 'c@d.test']],
    [['token', '--email', 'a@b.test']],
    [['verify', '--chain']],
    [['backup', 'here', 'there']],
    [['backup', '--to', 'here']],
    [['restore']],
    [['restore', 'here', 'there']],
    [['migrate', 'up']],
    [['schema', '--sql']],
  ])('are refused with the usage, and 2: coffer %j', async (words) => {
    const { code, stdout, stderr } = await runCoffer(words, { DATA_DIR: await dataDirs.fresh() })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`\nUsage: coffer ${words[0]}`)
  })
})

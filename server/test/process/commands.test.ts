/** Tests commands other than `start`: what they refuse, and that read-only commands create nothing. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCoffer, useDataDirs } from '../support/coffer-process.ts'

const dataDirs = useDataDirs()

describe('a DATA_DIR without a Coffer', () => {
  it.each([['token'], ['verify'], ['backup'], ['schema']])(
    '%s says so and creates nothing there',
    async (name) => {
      const empty = await dataDirs.fresh()
      for (const dataDir of [empty, join(empty, 'missing')]) {
        const { code, stdout, stderr } = await runCoffer([name], { DATA_DIR: dataDir })
        expect([code, stdout]).toEqual([1, ''])
        expect(stderr).toBe(
          `coffer ${name}: Coffer was never started in ${dataDir}: start it once, or set DATA_DIR\n`,
        )
      }
      expect(await readdir(empty)).toEqual([])
    },
  )

  it('doctor reports it, creates nothing there, and states the remedy', async () => {
    const empty = await dataDirs.fresh()
    const { code, stdout } = await runCoffer(['doctor', '--json'], { DATA_DIR: empty })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      findings: [{ subject: 'database', isError: true }],
    })
    expect(await readdir(empty)).toEqual([])
  })

  it('restore reads the backup before it creates a database', async () => {
    const empty = await dataDirs.fresh()
    const { code, stderr } = await runCoffer(['restore', join(empty, 'nothing')], { DATA_DIR: empty })
    expect(code).toBe(1)
    expect(stderr).toContain('is not a backup')
    expect(await readdir(empty)).toEqual([])
  })

  it('token creates no keys, since it could race with the first start, which creates them', async () => {
    const dataDir = await dataDirs.fresh()
    expect((await runCoffer(['migrate'], { DATA_DIR: dataDir })).code).toBe(0)
    const { code, stderr } = await runCoffer(['token'], { DATA_DIR: dataDir })
    expect(code).toBe(1)
    expect(stderr).toContain('start Coffer once')
    expect(await readdir(dataDir)).not.toContain('secrets.json')
  })
})

describe('unknown arguments', () => {
  it.each([
    [['start', 'now']],
    [['demo', '--fast']],
    [['token', 'a@b.test', 'c@d.test']],
    [['token', '--email', 'a@b.test']],
    [['verify', '--chain']],
    [['backup', 'here', 'there']],
    [['backup', '--to', 'here']],
    [['restore']],
    [['recover']],
    [['recover', '--since', '2020-01-01T00:00:00Z']],
    [['restore', 'here', 'there']],
    [['migrate', 'up']],
    [['schema', '--sql']],
    [['fees']],
    [['fees', 'raise']],
    [['fees', 'list', 'all']],
    [['limits']],
    [['limits', 'set', '--amount', '5']],
    [['withdrawals']],
    [['withdrawals', 'approve']],
    [['withdrawals', 'approve', 'nonsense']],
    [['withdrawals', 'reject', '0197a1f1-1111-7111-8111-111111111111']],
    [['withdrawals', 'pay', '0197a1f1-1111-7111-8111-111111111111']],
    [['sweep', 'all']],
    [['sweep', '--dry-run', 'usdt']],
  ])('are refused with the usage and exit code 2: coffer %j', async (words) => {
    const { code, stdout, stderr } = await runCoffer(words, { DATA_DIR: await dataDirs.fresh() })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`\nUsage: coffer ${words[0]}`)
  })
})

it('collect sends requests to a stopped Coffer; its cost estimate needs the chain', async () => {
  const DATA_DIR = await dataDirs.fresh()
  expect((await runCoffer(['migrate'], { DATA_DIR })).code).toBe(0)
  const { code, stdout } = await runCoffer(['sweep'], { DATA_DIR })
  expect([code, stdout]).toEqual([
    0,
    'Sweep requested on ethereum; it starts at the next poll of the role payouts.\n',
  ])
  const nowhere = { DATA_DIR, EVM_RPC_ETHEREUM: 'http://127.0.0.1:9' }
  const dry = await runCoffer(['sweep', '--dry-run'], nowhere)
  expect([dry.code, dry.stdout]).toEqual([1, ''])
  expect(dry.stderr).toContain('No node answers at 127.0.0.1:9')
})

describe('fees and limits', () => {
  it('are listed, set and unset on a stopped Coffer', async () => {
    const DATA_DIR = await dataDirs.fresh()
    expect((await runCoffer(['migrate'], { DATA_DIR })).code).toBe(0)
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await runCoffer(words, { DATA_DIR })
      return [code, stdout.replaceAll(/ +/g, ' '), stderr] as const
    }
    expect(await run('fees', 'list')).toEqual([0, '', 'No fees are set: the defaults apply.\n'])
    const line = 'withdrawal every merchant 3 ETH 0.5 % + 0.001 ETH\n'
    const words = ['--type', 'withdrawal', '--method', 'eth']
    expect(await run('fees', 'set', ...words, '--percent', '0.5', '--flat', '0.001')).toEqual([0, line, ''])
    expect((await run('fees', 'list'))[1]).toBe(line)
    expect((await run('fees', 'set', ...words, '--percent', '101'))[0]).toBe(1)
    expect(await run('fees', 'unset', ...words)).toEqual([0, '', 'Removed.\n'])
    expect((await run('fees', 'unset', ...words))[0]).toBe(1)
    const set = await run('limits', 'set', '--min-withdraw', '5')
    expect(set).toEqual([0, 'every merchant every method collect -, withdraw 5 USD\n', ''])
    expect((await run('limits', 'unset'))[0]).toBe(0)
    expect((await run('limits', 'set', '--method', '77', '--min-withdraw', '5'))[2]).toContain(
      '3 (ETH on ethereum)',
    )
  })

  it.each(['fees', 'limits'])('%s explains its use with --help', async (name) => {
    const { code, stdout } = await runCoffer([name, '--help'], {})
    expect(code).toBe(0)
    expect(stdout).toContain(`coffer ${name} set --`)
  })
})

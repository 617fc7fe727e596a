import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  choice,
  flag,
  integer,
  ports,
  readSettings,
  Secret,
  SettingsError,
  seconds,
  secret,
  text,
} from './settings.ts'

const settings = {
  port: integer('PORT', 3000, { min: 0, max: 65_535 }, 'a port'),
  mode: choice('MODE', ['sandbox', 'production'], 'sandbox', 'a mode'),
  isOpen: flag('OPEN', true, 'a flag'),
  blockTimeS: seconds('BLOCK_TIME_S', 1, 'a time'),
  name: text('NAME', undefined, 'a name'),
  key: secret('KEY', 'a secret'),
}

describe('settings', () => {
  it('have their defaults where the environment is silent or empty', () => {
    expect(readSettings(settings, { PORT: '' })).toEqual({
      port: 3000,
      mode: 'sandbox',
      isOpen: true,
      blockTimeS: 1,
      name: undefined,
      key: undefined,
    })
  })

  it('complain of everything at once, each with its name and what would do', () => {
    const environment = { PORT: '70000', MODE: 'test', OPEN: 'yes', BLOCK_TIME_S: '0' }
    let problems: readonly string[] = []
    try {
      readSettings(settings, environment)
    } catch (error) {
      problems = (error as SettingsError).problems
    }
    expect(problems).toEqual([
      'PORT must be a whole number from 0 to 65535, not "70000"',
      'MODE must be one of sandbox, production, not "test"',
      'OPEN must be true or false, not "yes"',
      'BLOCK_TIME_S must be a number of seconds above 0, not "0"',
    ])
  })

  it('read ports, and take the default where there is none', () => {
    const read = (text?: string) => ports('PORTS', [443], 'ports').read(text)
    expect([read(), read(''), read(' , '), read('443, 8443')]).toEqual([
      { value: [443] },
      { value: [443] },
      { value: [443] },
      { value: [443, 8443] },
    ])
    for (const text of ['0', '65536', '443-445', '443;80', '-1', '0x50', 'https'])
      expect(read(text)).toEqual({ problem: expect.stringContaining('PORTS must be ports') })
  })

  it('read a number as digits alone', () => {
    for (const port of ['1e3', '0x10', ' 80', '-1', '3000.5', 'NaN']) {
      expect(() => readSettings(settings, { PORT: port }), port).toThrow(SettingsError)
    }
  })
})

describe('a secret', () => {
  it('is shown by nothing but reveal', () => {
    const { key } = readSettings(settings, { KEY: 'hunter2' })
    expect(key?.reveal()).toBe('hunter2')
    const shown = [
      `${key}`,
      JSON.stringify({ key }),
      inspect({ key }, { depth: 9 }),
      String(new Secret('hunter2')),
    ]
    expect(shown.join()).not.toContain('hunter2')
  })
})

import { type App, startApp } from '../app.ts'
import { type Role, roles } from '../jobs.ts'
import { openLog } from '../log.ts'
import { type Config, readConfig } from '../settings/config.ts'
import { type Command, type Terminal, UsageError } from './command.ts'
import { readWords } from './read-words.ts'
import { nextStop } from './stop-signal.ts'
import { welcome } from './welcome.ts'
import { chainHelp, chainOptions, chainUsage, nodeSettingsOf, withChains } from './with-chains.ts'

export const startCommand: Command = {
  usage: `[--roles api,watcher,dispatcher,payouts] ${chainUsage}`,
  help: [
    'Runs Coffer until it receives SIGTERM or Ctrl-C; it then finishes its work (within 10 s) and exits 0.',
    'Without any setting it is a sandbox: an embedded PostgreSQL, a development chain with test money, the API',
    'and all workers, with all data under ./data.',
    '',
    'COFFER_MODE=production is for real money: it needs a PostgreSQL, nodes and keys of your own, generates and migrates',
    'nothing, and lists the settings that are missing. docs/production.md explains the setup from an empty machine.',
    '',
    '--roles          the roles of this process, if several processes share one DATABASE_URL; all by default',
    ...chainHelp,
  ],
  run: (words, terminal) => {
    const { values } = readWords(words, { options: { roles: { type: 'string' }, ...chainOptions } })
    const { roles: named, ...chains } = values
    const which = readRoles(named)
    const isOneOfSeveral = which.length < roles.length
    const [first] = isOneOfSeveral ? nodeSettingsOf(chains) : []
    if (first !== undefined)
      throw new UsageError(
        `all processes must use one chain: with --roles, set ${first} to a node for every process`,
      )
    const environment = withChains(terminal.environment, chains)
    return run(readConfig(environment, { roles: which, isOneOfSeveral }), which, terminal)
  },
}

export const sandboxCommand: Command = {
  usage: chainUsage,
  help: [
    'Runs Coffer as "coffer start" does without any setting: with an embedded PostgreSQL and a development chain. It refuses',
    'COFFER_MODE=production.',
    '',
    ...chainHelp,
  ],
  run: (words, terminal) => {
    const { values } = readWords(words, { options: chainOptions })
    const config = readConfig(withChains(terminal.environment, values), { roles })
    if (config.mode === 'production') throw new Error('COFFER_MODE is production: unset it for a sandbox')
    return run(config, roles, terminal)
  },
}

async function run(config: Config, which: readonly Role[], terminal: Terminal): Promise<number> {
  const log = openLog(config.logLevel)
  const stop = nextStop(() => {
    terminal.note(
      'coffer: stopped at once; PostgreSQL and the dev chain may still be running, the next start reuses them',
    )
  })
  let failure: Error | undefined
  const onLost = (error: Error) => {
    failure ??= error
    stop.now()
  }
  const onProgress = (step: string) => terminal.note(`· ${step} …`)
  let app: App | undefined
  try {
    app = await startApp({ config, log, roles: which, signal: stop.signal, onProgress, onLost })
    // The time since the start of the process. It includes loading the code, for which the user also waits.
    const took = performance.now()
    // All lines are printed in one write, so that a program that waits for one line gets all of them.
    terminal.print(welcome({ config, roles: which, app, took }).join('\n'))
    await stop.asked
  } catch (error) {
    if (!stop.signal.aborted) throw error
  }
  terminal.note(failure === undefined ? '· stopping …' : `coffer: ${failure.message}`)
  await app?.close()
  return failure === undefined ? 0 : 1
}

function readRoles(text: string | undefined): readonly Role[] {
  if (text === undefined) return roles
  const named = text.split(',').map((word) => word.trim())
  const known = roles.filter((role) => named.includes(role))
  if (known.length !== named.length) throw new UsageError(`--roles must be a list of ${roles.join(',')}`)
  return known
}

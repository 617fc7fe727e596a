// Plain JavaScript, because it runs before anything is compiled. It compiles src and simulation side by side.
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { tsc } from '../bin/build.js'

const simulation = dirname(fileURLToPath(import.meta.url))
const server = dirname(simulation)
// A folder of its own, because two simulations may run at once.
const compiled = join(dirname(server), 'node_modules', '.cache', 'coffer', `simulation-${process.pid}`)
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }))

compile()
const words = process.argv.slice(2)
const { plant: planted } = parseArgs({
  args: words,
  options: { plant: { type: 'string' } },
  strict: false,
}).values
if (planted !== undefined) await plantMutant(planted)
process.exitCode = words.some((word) => word.startsWith('--mutants')) ? await runMutants() : await runSeeds()

function compile() {
  const { status } = spawnSync(
    process.execPath,
    [tsc(), '-p', simulation, '--outDir', compiled, '--noCheck'],
    {
      stdio: 'inherit',
    },
  )
  if (status !== 0) process.exit(status ?? 1)
  // Migrations and contracts are read from beside the code, the version from the package.
  cpSync(join(server, 'src'), join(compiled, 'src'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  })
  cpSync(join(server, 'package.json'), join(compiled, 'package.json'))
}

// Before anything imports the compiled code, so that the mutant is what runs.
async function plantMutant(name) {
  const { plantByName } = await import(join(compiled, 'simulation', 'plant.js'))
  plantByName({ sources: join(server, 'src'), compiled: join(compiled, 'src') }, name)
}

async function runSeeds() {
  const { main } = await import(join(compiled, 'simulation', 'main.js'))
  return main(words)
}

async function runMutants() {
  const module = await import(join(compiled, 'simulation', 'run-mutants.js'))
  return module.runMutants({ server, compiled }, words)
}

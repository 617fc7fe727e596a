// Plain JavaScript, because it runs before anything is compiled. It compiles src and simulation side by side.
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const simulation = dirname(fileURLToPath(import.meta.url))
const server = dirname(simulation)
// A folder of its own, because two simulations may run at once.
const compiled = join(dirname(server), 'node_modules', '.cache', 'coffer', `simulation-${process.pid}`)
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }))

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const { status } = spawnSync(process.execPath, [tsc, '-p', simulation, '--outDir', compiled, '--noCheck'], {
  stdio: 'inherit',
})
if (status !== 0) process.exit(status ?? 1)
// Migrations and contracts are read from beside the code, the version from the package.
cpSync(join(server, 'src'), join(compiled, 'src'), {
  recursive: true,
  filter: (path) => !path.endsWith('.ts'),
})
cpSync(join(server, 'package.json'), join(compiled, 'package.json'))

const { main } = await import(join(compiled, 'simulation', 'main.js'))
process.exitCode = await main(process.argv.slice(2), server)

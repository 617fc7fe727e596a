/** Runs seeds for the main process, on the worker's own database. */
import { required } from '../src/core/assert.ts'
import { checkSeed, seedRunnerOn } from './check-seed.ts'
import { covered } from './coverage.ts'
import { openDatabaseServer } from './database-server.ts'
import type { Task, TaskResult } from './task.ts'

// Without the main process, nobody stops a worker in the middle of a seed.
process.once('disconnect', () => process.exit())

const server = await openDatabaseServer(JSON.parse(required(process.argv[2], 'how to reach PostgreSQL')))
const runner = seedRunnerOn(server)
process.send?.('ready')
process.on('message', async (task: Task | 'end') => {
  if (task === 'end') {
    await server.close()
    process.disconnect()
    return
  }
  const result = await checkTask(task)
  // After a broken run, the main process starts another worker with another database.
  process.send?.(result, undefined, undefined, () => {
    if (result.isBroken) process.exit(0)
  })
})

async function checkTask(task: Task): Promise<TaskResult> {
  if (task.places === undefined) return checkSeed(runner, task)
  const { value, ran } = await covered(task.places, () => checkSeed(runner, task))
  return { ...value, ran }
}

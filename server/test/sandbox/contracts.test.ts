import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('every compiled contract matches its source; refresh with: node server/scripts/compile-contracts.mjs', async () => {
  const script = fileURLToPath(new URL('../../scripts/compile-contracts.mjs', import.meta.url))
  const check = promisify(execFile)(process.execPath, [script, '--check'])
  await expect(check.then(({ stdout }) => stdout)).resolves.toBe('')
})

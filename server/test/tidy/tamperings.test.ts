import { expect, it } from 'vitest'
import { tamperingPage } from '../verify/tampering-page.ts'
import { tamperings } from '../verify/tampering-table.ts'

it('docs/tamperings.md equals the table; `npx vitest run --project tidy tamperings --update=all` writes it', async () => {
  await expect(tamperingPage(tamperings)).toMatchFileSnapshot('../../../docs/tamperings.md')
})

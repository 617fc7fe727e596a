import type { Page } from 'playwright-core'
import type { Login } from './coffer-client.ts'

/** Signs in to the dashboard of `url`, by its own form. */
export async function signIn(page: Page, url: string, { email, password }: Login): Promise<void> {
  await page.goto(`${url}/dashboard/sign-in`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page
    .getByRole('link', { name: 'Security' })
    .or(page.getByRole('button', { name: 'More' }))
    .first()
    .waitFor()
}

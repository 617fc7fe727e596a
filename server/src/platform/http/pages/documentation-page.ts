/** Renders the API's description as an HTML page: every operation with a curl command to paste. */

import type { OpenApiDocument, Operation } from '../openapi/openapi.ts'
import { firstSteps } from './curl-example.ts'
import { operationSection } from './operation-section.ts'
import { escapeHtml, markdownHtml, type PageReply, pageReply } from './page.ts'

interface Listed {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export function documentationPage(document: OpenApiDocument): PageReply {
  const { info, tags, servers } = document
  const listed = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Listed => ({ method, path, operation })),
  )
  const chapters = tags.map((tag) => ({
    ...tag,
    listed: listed.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  const sections = chapters.map(
    ({ name, description, listed: own }) =>
      `<h2 id="${anchorOf(name)}">${escapeHtml(name)}</h2><p class="soft">${escapeHtml(description)}</p>
${own.map((one) => operationSection(document, one)).join('\n')}`,
  )
  return pageReply(
    `${info.title} ${info.version}`,
    `<main class="wide"><nav aria-label="Operations"><strong>${escapeHtml(info.title)}</strong> <span class="soft">${escapeHtml(info.version)}</span>
<h4><a href="#first-steps">First steps</a></h4>${chapters.map(({ name, listed: own }) => contents(name, own)).join('\n')}
<h4><a href="#events">Events</a></h4></nav>
<div><h1>${escapeHtml(info.title)}</h1><p>${escapeHtml(info.summary)}</p>
<p><a href="openapi.json">openapi.json</a> · <a href="problems">Problems</a></p>
${markdownHtml(info.description)}
<h2 id="first-steps">First steps</h2>
<p>Paste this into a shell. After that, every example below can be run as it is, unless it names something that you have not created.</p>
<pre><code>${escapeHtml(firstSteps(servers[0]?.url ?? ''))}</code></pre>
${sections.join('\n')}
${eventsSection(document)}</div></main>`,
  )
}

function contents(name: string, listed: readonly Listed[]): string {
  const items = listed.map(
    ({ method, operation }) =>
      `<li><a href="#${operation.operationId}"><span class="${method}">${method.toUpperCase()}</span>${escapeHtml(operation.summary)}</a></li>`,
  )
  return `<h4><a href="#${anchorOf(name)}">${escapeHtml(name)}</a></h4><ul>${items.join('')}</ul>`
}

function anchorOf(name: string): string {
  return `chapter-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
}

function eventsSection({ webhooks }: OpenApiDocument): string {
  const sections = Object.values(webhooks).map(({ post }) => {
    const examples = Object.entries(post?.requestBody?.content['application/json']?.examples ?? {})
    const shown = examples.map(
      ([type, { summary, value }]) => `<h3>${escapeHtml(type)}</h3><p>${escapeHtml(summary)}.</p>
<pre><code>${escapeHtml(JSON.stringify(value, undefined, 2))}</code></pre>`,
    )
    return `<p>${escapeHtml(post?.summary ?? '')}.</p>${markdownHtml(post?.description ?? '')}${shown.join('\n')}`
  })
  return `<h2 id="events">Events</h2>${sections.join('\n')}`
}

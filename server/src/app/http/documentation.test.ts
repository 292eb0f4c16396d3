import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../platform/system-clock.js'
import { documentationIn } from './documentation.js'

let folder: string
let server: Server
let address: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portico-docs-'))
  server = createServer(express().use('/docs', documentationIn(folder))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/`
})

afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

function givenBuilder(pid: number, ageInSeconds = 0): void {
  const file = join(folder, '.builder')
  writeFileSync(file, String(pid))
  const written = new Date(systemClock().getTime() - ageInSeconds * 1000)
  utimesSync(file, written, written)
}

function givenSite(): void {
  mkdirSync(join(folder, 'site'))
  writeFileSync(join(folder, 'site/index.html'), '<h1>Portico</h1>')
}

test('while the site is built, a page says so, is not kept, and reloads by itself', async () => {
  givenBuilder(process.pid)

  const answer = await fetch(address)

  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('2')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(await answer.text()).toContain('<meta http-equiv="refresh" content="2">')
})

test('once it is built, the same address answers with it', async () => {
  givenBuilder(process.pid)
  await fetch(address)
  givenSite()

  const answer = await fetch(address)

  expect([answer.status, await answer.text()]).toEqual([200, '<h1>Portico</h1>'])
})

test.each([
  ['nobody builds it', () => undefined],
  [
    'the process that built it has ended',
    () => givenBuilder(spawnSync(process.execPath, ['--eval', '']).pid),
  ],
  ['the process began so long ago that another may have its number', () => givenBuilder(process.pid, 601)],
])('where %s, the answer is 404 with the command that builds it', async (_, given) => {
  given()

  const answer = await fetch(address)

  expect(answer.status).toBe(404)
  expect(await answer.text()).toContain('npm run docs -- build')
})

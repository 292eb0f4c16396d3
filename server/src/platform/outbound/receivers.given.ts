import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:https'
import { afterEach } from 'vitest'

/** A server on loopback that counts connections and requests. */
export interface Receiver {
  readonly port: number
  /** How many connections were made to it. */
  connections(): number
  /** How many requests it has seen to their end; none where the handler takes raw sockets. */
  requests(): number
}

const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/**
 * Starts an HTTP receiver; it ends with the test.
 *
 * @param address Of this machine; all of them unless given.
 */
export function startReceiver(
  handler: RequestListener = (_req, res) => void res.end('ok'),
  address?: string,
): Promise<Receiver> {
  let requests = 0
  const server = createHttpServer((req, res) => {
    req.resume().once('end', () => {
      requests += 1
      handler(req, res)
    })
  })
  return start(server, () => requests, address)
}

/** Starts a receiver that does with a connection what no HTTP server would. */
export function startRawReceiver(handler: (socket: Socket) => void): Promise<Receiver> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    handler(socket)
  })
  return start(server, () => 0)
}

/** Starts an https receiver with a self-signed certificate. */
export function startSelfSignedReceiver(): Promise<Receiver> {
  const server = createTlsServer({ key: selfSignedKey, cert: selfSignedCertificate }, (_req, res) =>
    res.end('ok'),
  )
  return start(server, () => 0)
}

async function start(server: Server, requests: () => number, address?: string): Promise<Receiver> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
  })
  closers.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(server.listen(0, address), 'listening')
  // A TCP server's address is no path.
  const { port } = server.address() as AddressInfo
  return { port, connections: () => connections, requests }
}

/** For localhost and 127.0.0.1, until 2126; it guards nothing. */
const selfSignedKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgC/9RlhsXFI9X6moK
hNNknVoRShJa0O/vaveE/eO95guhRANCAAQvwHAb7lcv4CfD78tu4VHPK7SRSdMl
bzqsm+ePBvDdL65eiqfI3165uArWTvuMOK9/tA81BJ8qqhKS4fkCAm1E
-----END PRIVATE KEY-----`

const selfSignedCertificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUOMYGCJ3IGIaCbPsJlVlq4lcAH54wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjAyMjIzM1oYDzIxMjYxMDI5
MDIyMjMzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQvwHAb7lcv4CfD78tu4VHPK7SRSdMlbzqsm+ePBvDdL65eiqfI3165
uArWTvuMOK9/tA81BJ8qqhKS4fkCAm1Eo28wbTAdBgNVHQ4EFgQUNF5d0729nLSi
wq61NTs84+VZbqgwHwYDVR0jBBgwFoAUNF5d0729nLSiwq61NTs84+VZbqgwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhALopL0msJGEngBsTt4I2YkRno1c0Obpk/bHWO6x3lF86AiEA
xJeSntTNBpkQx0Is9yULbVlS0cVsq96gwJRpRIPmO6Q=
-----END CERTIFICATE-----`

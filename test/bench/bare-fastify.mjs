// The floor of the report bench: a Fastify that answers every request with so many bytes, which are there already.
import fastify from 'fastify'

const body = Buffer.alloc(Number(process.argv[2]), 'x')
const app = fastify()
app.post('*', async (_request, reply) => reply.type('application/json; charset=utf-8').send(body))
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))

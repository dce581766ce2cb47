// A thread that lands groups: opens its store, says so, and lands them when it is told to.
import { parentPort, workerData } from 'node:worker_threads'
import { opened } from './engines.mjs'

const { location, turn, groups } = workerData
const store = await opened(location, turn === null ? {} : { turn })
// Reads the numbers of the devices, as once in the life of a program.
await store.landing.land({ ...groups[0], count: 0 }, Date.now())
parentPort.postMessage('ready')
parentPort.once('message', async () => {
  for (const group of groups) await store.landing.land(group, Date.now())
  parentPort.postMessage('done')
  parentPort.once('message', async () => {
    await store.close()
    parentPort.close()
  })
})

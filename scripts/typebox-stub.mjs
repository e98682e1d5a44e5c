// Replaces TypeBox in the bundles of the SDK and the console. The contract declares its constants next to its schemas,
// but only the service validates with the schemas.
const emptySchema = () => ({ properties: {} });

export const Type = new Proxy({}, { get: () => emptySchema });

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An NVMe over Fabrics host reduced to its admin queue, as a consumer of rmc in
 * verbs mode. Each connection is an association with a controller of its own.
 *
 * A queue belongs to its connection: made in conn_setup, freed in
 * conn_teardown. What a path remembers across generations is in probe_path.
 */
#ifndef RMC_NVMF_PROBE_H
#define RMC_NVMF_PROBE_H

#include <linux/completion.h>
#include <linux/nvme.h>
#include <linux/nvme-rdma.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/rmc.h>
#include "../order.h"

#define QUEUE_DEPTH	NVME_AQ_DEPTH
#define QUEUE_DATA	4096

/* One command is under way at a time; these are what it waits for. */
#define QUEUE_WAIT_SEND	BIT(0)
#define QUEUE_WAIT_RSP	BIT(1)
#define QUEUE_WAIT_INV	BIT(2)

struct probe_queue;

struct probe_recv {
	struct ib_cqe		cqe;
	struct probe_queue	*q;
	struct nvme_completion	*cqe_mem;
	u64			dma;
};

struct probe_queue {
	struct order		order;
	struct rmc_conn		*conn;
	struct probe_path	*path;
	struct ib_device	*dev;
	struct ib_qp		*qp;
	struct ib_pd		*pd;

	struct probe_recv	*recvs;
	unsigned int		nr_recvs;

	struct {
		struct nvme_command	*cmd;
		u64			cmd_dma;
		struct ib_cqe		cqe;
		struct ib_cqe		reg_cqe;
		struct ib_cqe		inv_cqe;
	} tx;
	struct {
		void			*mem;
		struct scatterlist	sg;
		struct ib_mr		*mr;
		bool			valid;	/* registered, not yet invalidated */
	} data;

	spinlock_t		lock;		/* protects all below; held over each post */
	bool			stopped;	/* conn_lost was here: post nothing */
	int			err;		/* first error; the queue is of no use after it */
	unsigned int		waiting;	/* QUEUE_WAIT_* */
	u16			command_id;
	struct nvme_completion	rsp;
	struct completion	done;

	/* runs only between a good conn_up and conn_lost */
	struct delayed_work	keep_alive;
};

enum probe_path_state {
	PROBE_DOWN,
	PROBE_SETUP,
	PROBE_ASSOCIATING,
	PROBE_ASSOCIATED,
};

/* Under probe_lock, but for the addresses, which never change. */
struct probe_path {
	struct sockaddr_storage	src;
	struct sockaddr_storage	dst;
	enum probe_path_state	state;
	struct probe_queue	*q;		/* of the newest connection; NULL: none */
	u64	overlaps;	/* a connection was set up before the last was torn down */
	u64	setups;
	u64	ups;
	u64	lost;
	u64	teardowns;
	u64	associations;
	u64	keep_alives;
	u64	keep_alive_errors;
	u16	cntlid;
	u32	version;
	char	model[41];
	char	serial[21];
	char	subnqn[257];
	const char *last_step;	/* where the last error happened */
	int	last_error;
	u16	last_status;	/* NVMe status of it, 0: none */
};

extern spinlock_t probe_lock;
extern char *probe_nqn;
extern char *probe_hostnqn;
extern uuid_t probe_hostid;
extern unsigned int probe_kato_ms;
extern unsigned int probe_command_ms;
extern struct workqueue_struct *probe_wq;

struct probe_queue *queue_alloc(struct rmc_conn *conn, struct probe_path *path);
/* Both queues of the QP are drained, or nothing was posted. */
void queue_free(struct probe_queue *q);
int queue_post_recvs(struct probe_queue *q);
/*
 * Sends @cmd with @len bytes of q->data.mem offered to the controller, waits
 * for its answer. Returns 0 with the answer in q->rsp, a positive NVMe status,
 * or a negative errno, after which the queue is of no more use. One caller at
 * a time: conn_up, then the keep-alive.
 */
int queue_command(struct probe_queue *q, const struct nvme_command *cmd,
		  enum dma_data_direction dir, u32 len);
/* From here on nothing is posted, and nobody waits any more. */
void queue_stop(struct probe_queue *q);

int admin_associate(struct probe_queue *q);
void admin_keep_alive_work(struct work_struct *work);

void probe_note_error(struct probe_queue *q, const char *step, int err);

#endif /* RMC_NVMF_PROBE_H */

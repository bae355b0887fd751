#!/bin/sh
# made: set once by hand, gone after the reboot
mlnx_qos -i ens1np0 --trust dscp
mlnx_qos -i ens1np0 --pfc 0,0,0,1,0,0,0,0
ip link set ens1np0 mtu 4200
cma_roce_tos -d mlx5_0 -t 106
cma_roce_tos -d mlx5_7 -t 106
mlnx_qos -i ens9np0 --trust dscp

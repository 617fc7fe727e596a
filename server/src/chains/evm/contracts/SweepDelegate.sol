// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What a deposit address runs once it is delegated here (EIP-7702): it hands all it holds to one of our lanes when this
/// contract, called by that very lane, says so. To everyone else it stays an address without code: it takes coins with
/// any call data and on the 2,300 gas of a stipend, and answers nothing.
///
/// The lanes are part of the code, and the code decides the address it is deployed to (EIP-1014): whoever knows the
/// address knows who may sweep. It holds no state and no money. One token or address that fails, lies or burns gas does
/// not keep the others from being swept: each call gets a fixed measure of gas, and where a whole measure is not left all
/// is undone, so that too little gas never looks like success.
contract SweepDelegate {
    /// For one call of a token. The dearest transfers of listed tokens take less than half.
    uint256 private constant CALL_GAS = 150_000;
    /// Around the two calls of a token, with the part that EIP-150 keeps back.
    uint256 private constant TOKEN_GAS = 2 * CALL_GAS + 25_000;
    /// For an address without its tokens: the call, and its coin.
    uint256 private constant ADDRESS_GAS = 60_000;

    /// transfer(address,uint256) and balanceOf(address) of EIP-20.
    bytes4 private constant TRANSFER = 0xa9059cbb;
    bytes4 private constant BALANCE_OF = 0x70a08231;

    address private immutable self = address(this);
    address private immutable lane0;
    address private immutable lane1;
    address private immutable lane2;
    address private immutable lane3;
    address private immutable lane4;
    address private immutable lane5;
    address private immutable lane6;
    address private immutable lane7;
    address private immutable lane8;
    address private immutable lane9;
    address private immutable lane10;
    address private immutable lane11;
    address private immutable lane12;
    address private immutable lane13;
    address private immutable lane14;
    address private immutable lane15;

    error NotAllowed();
    error TooLittleGas();

    /// @param lanes 1 to 16 of them
    constructor(address[] memory lanes) {
        require(lanes.length > 0 && lanes.length <= 16);
        address[16] memory all;
        for (uint256 i = 0; i < lanes.length; i++) all[i] = lanes[i];
        lane0 = all[0];
        lane1 = all[1];
        lane2 = all[2];
        lane3 = all[3];
        lane4 = all[4];
        lane5 = all[5];
        lane6 = all[6];
        lane7 = all[7];
        lane8 = all[8];
        lane9 = all[9];
        lane10 = all[10];
        lane11 = all[11];
        lane12 = all[12];
        lane13 = all[13];
        lane14 = all[14];
        lane15 = all[15];
    }

    /// Moves all that `addresses` hold of `tokens` to the calling lane; a token of zero is the coin. What is not delegated
    /// here is passed over.
    function gather(address[] calldata addresses, address[] calldata tokens) external {
        if (address(this) != self || !isLane(msg.sender)) revert NotAllowed();
        uint256 gasEach = ADDRESS_GAS + TOKEN_GAS * tokens.length;
        bytes memory order = abi.encodeCall(this.handOver, (tokens, msg.sender));
        for (uint256 i = 0; i < addresses.length; i++) {
            requireGas(gasEach);
            callWithin(addresses[i], gasEach, 0, order);
        }
    }

    /// Run by a delegated address, for `gather` alone.
    function handOver(address[] calldata tokens, address lane) external {
        if (msg.sender != self) revert NotAllowed();
        bool withCoin = false;
        for (uint256 i = 0; i < tokens.length; i++) {
            if (tokens[i] == address(0)) withCoin = true;
            else handOverToken(tokens[i], lane);
        }
        // Last, so that no token's code runs after it.
        if (withCoin && address(this).balance > 0) callWithin(lane, 0, address(this).balance, "");
    }

    /// A token that answers nothing, or false, is left to what its balance says: nobody is told here that it moved.
    function handOverToken(address token, address lane) private {
        (bool isRead, uint256 amount) = heldIn(token);
        if (isRead && amount > 0) {
            callWithin(token, CALL_GAS, 0, abi.encodeWithSelector(TRANSFER, lane, amount));
        }
    }

    function heldIn(address token) private view returns (bool isRead, uint256 amount) {
        bytes memory question = abi.encodeWithSelector(BALANCE_OF, address(this));
        assembly ("memory-safe") {
            let succeeded := staticcall(CALL_GAS, token, add(question, 32), mload(question), 0, 32)
            isRead := and(succeeded, gt(returndatasize(), 31))
            amount := mload(0)
        }
    }

    /// A call whose end does not matter, and of whose answer nothing is copied.
    function callWithin(address to, uint256 gasMax, uint256 value, bytes memory order) private {
        assembly ("memory-safe") {
            pop(call(gasMax, to, value, add(order, 32), mload(order), 0, 0))
        }
    }

    function requireGas(uint256 needed) private view {
        // A caller keeps a 64th back, and needs some to go on.
        if (gasleft() < needed + needed / 32 + 10_000) revert TooLittleGas();
    }

    function isLane(address caller) private view returns (bool) {
        return
            caller == lane0 || caller == lane1 || caller == lane2 || caller == lane3 || caller == lane4 ||
            caller == lane5 || caller == lane6 || caller == lane7 || caller == lane8 || caller == lane9 ||
            caller == lane10 || caller == lane11 || caller == lane12 || caller == lane13 || caller == lane14 ||
            caller == lane15;
    }

    /// Coins for a deposit address, with call data or without. The contract itself takes none: nobody could fetch them.
    receive() external payable {
        if (address(this) == self) revert NotAllowed();
    }

    fallback() external payable {
        if (address(this) == self) revert NotAllowed();
    }
}
